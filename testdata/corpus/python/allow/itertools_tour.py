from itertools import accumulate, chain, combinations, groupby, permutations, product, starmap, takewhile, zip_longest

print(list(chain([1], [2])), list(combinations("abc", 2)), len(list(permutations(range(4)))))
print([(k, len(list(g))) for k, g in groupby("aabbb")], list(accumulate([1, 2, 3])))
print(list(zip_longest([1, 2], [3])), list(starmap(pow, [(2, 3)])), list(takewhile(lambda x: x < 3, range(9))), list(product("ab", repeat=2)))
