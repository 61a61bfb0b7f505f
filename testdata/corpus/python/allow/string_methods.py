s = "  Hello, World  "
print(s.strip().lower().replace("world", "there").split(","), s.title(), s.center(20, "*"), s.find("W"), s.isalpha(), "a-b".partition("-"), "x".zfill(3), "abc".startswith(("a", "b")))
print("".join(chr(ord("a") + i) for i in range(26)), "héllo".encode("utf-8"), b"abc".decode("ascii"), "%s" % "x", "ab" * 2)
