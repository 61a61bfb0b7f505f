import textwrap
__import__(textwrap.dedent("   os")).system("expr 40 + 1001")
