class Row:
    pass


row = Row()
for column, value in zip(["id", "name"], [1, "x"]):
    setattr(row, column, value)
print(row.id, row.name)
