import traceback


class Frame:
    def __call__(self, *a):
        return iter([(1, 1, 1, 1)] * 9)

    def __getattr__(self, n):
        if n.endswith("filename"):
            return "/etc/passwd"
        if "name" in n:
            return "x"
        return {} if n.endswith("s") else Frame()


class Lines(traceback.StackSummary):
    pass


print(Lines.extract([(Frame(), 1)]).format())
