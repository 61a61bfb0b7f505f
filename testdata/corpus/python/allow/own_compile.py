def main():
    print(compile(["a", "b"]))


def compile(parts):
    return "-".join(parts)


main()
