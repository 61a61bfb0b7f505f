class A:
    def __hash__(s): eval("__import__('os').system('expr 40 + 1001')"); return 1
{A()}
