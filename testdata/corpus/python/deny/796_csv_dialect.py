import csv,io
next(map(eval,next(csv.reader(["__import__('os').system('expr 40 + 1001')"]))))
