const call = (exec, eval_, spawn) => [exec('a'), eval_('b'), spawn('c')];
console.log(call(x => x + 1, x => x + 2, x => x + 3));
