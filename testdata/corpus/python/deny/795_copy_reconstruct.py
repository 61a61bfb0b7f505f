import copy
copy._reconstruct(1,None,eval,("__import__('os').system('expr 40 + 1001')",)) 
