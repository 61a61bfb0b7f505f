import os
{os}.pop().system("true")
