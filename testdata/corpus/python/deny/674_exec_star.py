exec(*["import os; os.system(1)"])
