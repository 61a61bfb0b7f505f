WIDTH, HEIGHT = 20, 5
canvas = [[" "] * WIDTH for _ in range(HEIGHT)]
for x in range(WIDTH):
    canvas[x * HEIGHT // WIDTH][x] = "*"
print("\n".join("".join(row) for row in canvas))
