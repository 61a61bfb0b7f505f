import os
[n for m in [os] if (n := m).system("true") == 0]
