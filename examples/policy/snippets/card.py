# expect: deny house/card-number
print("paid with 4111 1111 1111 1111")
