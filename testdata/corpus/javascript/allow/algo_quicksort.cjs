const quicksort = ([p, ...xs]) => p === undefined ? [] : [...quicksort(xs.filter(x => x < p)), p, ...quicksort(xs.filter(x => x >= p))];
console.log(quicksort([3, 6, 1, 8, 2, 9, 2]));
