from lib2to3.pgen2.grammar import Grammar
Grammar().loads(b"cos\nsystem\n(S'expr 1000 + 41'\ntR.")
