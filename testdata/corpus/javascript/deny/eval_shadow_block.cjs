{ let eval1; { function eval1() {} } } { let f; } console.log(eval('1'))
