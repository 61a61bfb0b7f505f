from scipy import optimize, stats

print(stats.ttest_ind([1, 2, 3], [2, 3, 4]).pvalue)
print(optimize.minimize_scalar(lambda v: (v - 2) ** 2).x)
