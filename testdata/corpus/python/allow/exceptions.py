class AppError(Exception):
    def __init__(self, message, code):
        super().__init__(message)
        self.code = code


def check(x):
    if x < 0:
        raise AppError("negative", 3)
    return x


try:
    check(-1)
except AppError as e:
    print(e, e.code, e.args)
except (ValueError, TypeError):
    raise
else:
    print("fine")
finally:
    print("done")
