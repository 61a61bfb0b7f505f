from os import *
open("/tmp/corpus-x", O_WRONLY | O_CREAT)
