def valid(board):
    groups = [list(row) for row in board]
    groups += [list(col) for col in zip(*board)]
    groups += [[board[r + i][c + j] for i in range(2) for j in range(2)] for r in (0, 2) for c in (0, 2)]
    return all(sorted(g) == [1, 2, 3, 4] for g in groups)


print(valid([[1, 2, 3, 4], [3, 4, 1, 2], [2, 1, 4, 3], [4, 3, 2, 1]]))
