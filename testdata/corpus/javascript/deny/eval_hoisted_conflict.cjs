{ let eval; { function eval() {} } } console.log(eval('1 + 1'))
