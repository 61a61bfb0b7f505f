package python

import "sallyport/analyze"

// Kinds of node in tree-sitter's Python grammar: every named one, and the
// words and operators that the walk looks at.
const (
	_ analyze.Kind = iota
	pyIdentifier
	pyEllipsis
	pyEscapeSequence
	pyTypeConversion
	pyInteger
	pyFloat
	pyTrue
	pyFalse
	pyNone
	pyComment
	pyLineContinuation
	pyStringStart
	pyEscapeInterpolation
	pyStringEnd
	pyModule
	pyImportStatement
	pyImportPrefix
	pyRelativeImport
	pyFutureImportStatement
	pyImportFromStatement
	pyAliasedImport
	pyWildcardImport
	pyPrintStatement
	pyChevron
	pyAssertStatement
	pyExpressionStatement
	pyNamedExpression
	pyReturnStatement
	pyDeleteStatement
	pyRaiseStatement
	pyPassStatement
	pyBreakStatement
	pyContinueStatement
	pyIfStatement
	pyElifClause
	pyElseClause
	pyMatchStatement
	pyBlock
	pyCaseClause
	pyForStatement
	pyWhileStatement
	pyTryStatement
	pyExceptClause
	pyExceptGroupClause
	pyFinallyClause
	pyWithStatement
	pyWithClause
	pyWithItem
	pyFunctionDefinition
	pyParameters
	pyLambdaParameters
	pyListSplat
	pyDictionarySplat
	pyGlobalStatement
	pyNonlocalStatement
	pyExecStatement
	pyTypeAliasStatement
	pyClassDefinition
	pyTypeParameter
	pyParenthesizedListSplat
	pyArgumentList
	pyDecoratedDefinition
	pyDecorator
	pyExpressionList
	pyDottedName
	pyCasePattern
	pyAsPattern
	pyUnionPattern
	pyListPattern
	pyTuplePattern
	pyDictPattern
	pyKeywordPattern
	pySplatPattern
	pyClassPattern
	pyComplexPattern
	pyDefaultParameter
	pyTypedDefaultParameter
	pyListSplatPattern
	pyDictionarySplatPattern
	pyNotOperator
	pyBooleanOperator
	pyBinaryOperator
	pyUnaryOperator
	pyComparisonOperator
	pyLambda
	pyAssignment
	pyAugmentedAssignment
	pyPatternList
	pyYield
	pyAttribute
	pySubscript
	pySlice
	pyCall
	pyTypedParameter
	pyType
	pySplatType
	pyGenericType
	pyUnionType
	pyConstrainedType
	pyMemberType
	pyKeywordArgument
	pyList
	pySet
	pyTuple
	pyDictionary
	pyPair
	pyListComprehension
	pyDictionaryComprehension
	pySetComprehension
	pyGeneratorExpression
	pyParenthesizedExpression
	pyForInClause
	pyIfClause
	pyConditionalExpression
	pyConcatenatedString
	pyString
	pyStringContent
	pyInterpolation
	pyFormatSpecifier
	pyAwait
	pyPositionalSeparator
	pyKeywordSeparator
	pyAsPatternTarget
	pyFormatExpression
	pyWordAwait
	pyWordAsync
	pyWordLambda
	pyPlus
	pyMinus
	pyStar
	pySlash
	pyFloorDivide
	pyPercent
	pyPipe
	pyAmpersand
	pyCaret
	pyAt
	pyShiftLeft
	pyShiftRight
	pyPower
	pyNot
	pyAnd
	pyOr
	pyUnderscore
	pyWordPrint
	pyWordExec
	pyBraceOpen
	pyBraceClose
	pyWalrus
)

func kindNames() []string {
	return []string{
		pyIdentifier:              "identifier",
		pyEllipsis:                "ellipsis",
		pyEscapeSequence:          "escape_sequence",
		pyTypeConversion:          "type_conversion",
		pyInteger:                 "integer",
		pyFloat:                   "float",
		pyTrue:                    "true",
		pyFalse:                   "false",
		pyNone:                    "none",
		pyComment:                 "comment",
		pyLineContinuation:        "line_continuation",
		pyStringStart:             "string_start",
		pyEscapeInterpolation:     "escape_interpolation",
		pyStringEnd:               "string_end",
		pyModule:                  "module",
		pyImportStatement:         "import_statement",
		pyImportPrefix:            "import_prefix",
		pyRelativeImport:          "relative_import",
		pyFutureImportStatement:   "future_import_statement",
		pyImportFromStatement:     "import_from_statement",
		pyAliasedImport:           "aliased_import",
		pyWildcardImport:          "wildcard_import",
		pyPrintStatement:          "print_statement",
		pyChevron:                 "chevron",
		pyAssertStatement:         "assert_statement",
		pyExpressionStatement:     "expression_statement",
		pyNamedExpression:         "named_expression",
		pyReturnStatement:         "return_statement",
		pyDeleteStatement:         "delete_statement",
		pyRaiseStatement:          "raise_statement",
		pyPassStatement:           "pass_statement",
		pyBreakStatement:          "break_statement",
		pyContinueStatement:       "continue_statement",
		pyIfStatement:             "if_statement",
		pyElifClause:              "elif_clause",
		pyElseClause:              "else_clause",
		pyMatchStatement:          "match_statement",
		pyBlock:                   "block",
		pyCaseClause:              "case_clause",
		pyForStatement:            "for_statement",
		pyWhileStatement:          "while_statement",
		pyTryStatement:            "try_statement",
		pyExceptClause:            "except_clause",
		pyExceptGroupClause:       "except_group_clause",
		pyFinallyClause:           "finally_clause",
		pyWithStatement:           "with_statement",
		pyWithClause:              "with_clause",
		pyWithItem:                "with_item",
		pyFunctionDefinition:      "function_definition",
		pyParameters:              "parameters",
		pyLambdaParameters:        "lambda_parameters",
		pyListSplat:               "list_splat",
		pyDictionarySplat:         "dictionary_splat",
		pyGlobalStatement:         "global_statement",
		pyNonlocalStatement:       "nonlocal_statement",
		pyExecStatement:           "exec_statement",
		pyTypeAliasStatement:      "type_alias_statement",
		pyClassDefinition:         "class_definition",
		pyTypeParameter:           "type_parameter",
		pyParenthesizedListSplat:  "parenthesized_list_splat",
		pyArgumentList:            "argument_list",
		pyDecoratedDefinition:     "decorated_definition",
		pyDecorator:               "decorator",
		pyExpressionList:          "expression_list",
		pyDottedName:              "dotted_name",
		pyCasePattern:             "case_pattern",
		pyAsPattern:               "as_pattern",
		pyUnionPattern:            "union_pattern",
		pyListPattern:             "list_pattern",
		pyTuplePattern:            "tuple_pattern",
		pyDictPattern:             "dict_pattern",
		pyKeywordPattern:          "keyword_pattern",
		pySplatPattern:            "splat_pattern",
		pyClassPattern:            "class_pattern",
		pyComplexPattern:          "complex_pattern",
		pyDefaultParameter:        "default_parameter",
		pyTypedDefaultParameter:   "typed_default_parameter",
		pyListSplatPattern:        "list_splat_pattern",
		pyDictionarySplatPattern:  "dictionary_splat_pattern",
		pyNotOperator:             "not_operator",
		pyBooleanOperator:         "boolean_operator",
		pyBinaryOperator:          "binary_operator",
		pyUnaryOperator:           "unary_operator",
		pyComparisonOperator:      "comparison_operator",
		pyLambda:                  "lambda",
		pyAssignment:              "assignment",
		pyAugmentedAssignment:     "augmented_assignment",
		pyPatternList:             "pattern_list",
		pyYield:                   "yield",
		pyAttribute:               "attribute",
		pySubscript:               "subscript",
		pySlice:                   "slice",
		pyCall:                    "call",
		pyTypedParameter:          "typed_parameter",
		pyType:                    "type",
		pySplatType:               "splat_type",
		pyGenericType:             "generic_type",
		pyUnionType:               "union_type",
		pyConstrainedType:         "constrained_type",
		pyMemberType:              "member_type",
		pyKeywordArgument:         "keyword_argument",
		pyList:                    "list",
		pySet:                     "set",
		pyTuple:                   "tuple",
		pyDictionary:              "dictionary",
		pyPair:                    "pair",
		pyListComprehension:       "list_comprehension",
		pyDictionaryComprehension: "dictionary_comprehension",
		pySetComprehension:        "set_comprehension",
		pyGeneratorExpression:     "generator_expression",
		pyParenthesizedExpression: "parenthesized_expression",
		pyForInClause:             "for_in_clause",
		pyIfClause:                "if_clause",
		pyConditionalExpression:   "conditional_expression",
		pyConcatenatedString:      "concatenated_string",
		pyString:                  "string",
		pyStringContent:           "string_content",
		pyInterpolation:           "interpolation",
		pyFormatSpecifier:         "format_specifier",
		pyAwait:                   "await",
		pyPositionalSeparator:     "positional_separator",
		pyKeywordSeparator:        "keyword_separator",
		pyAsPatternTarget:         "as_pattern_target",
		pyFormatExpression:        "format_expression",
		pyWordAwait:               "'await",
		pyWordAsync:               "'async",
		pyWordLambda:              "'lambda",
		pyPlus:                    "'+",
		pyMinus:                   "'-",
		pyStar:                    "'*",
		pySlash:                   "'/",
		pyFloorDivide:             "'//",
		pyPercent:                 "'%",
		pyPipe:                    "'|",
		pyAmpersand:               "'&",
		pyCaret:                   "'^",
		pyAt:                      "'@",
		pyShiftLeft:               "'<<",
		pyShiftRight:              "'>>",
		pyPower:                   "'**",
		pyNot:                     "'not",
		pyAnd:                     "'and",
		pyOr:                      "'or",
		pyUnderscore:              "'_",
		pyWordPrint:               "'print",
		pyWordExec:                "'exec",
		pyBraceOpen:               "'{",
		pyBraceClose:              "'}",
		pyWalrus:                  "':=",
	}
}

// Fields of a node in tree-sitter's Python grammar.
const (
	_ analyze.Field = iota
	pyAliasField
	pyAlternativeField
	pyArgumentField
	pyArgumentsField
	pyAttributeField
	pyBodyField
	pyCauseField
	pyCodeField
	pyConditionField
	pyConsequenceField
	pyDefinitionField
	pyExpressionField
	pyFormatSpecifierField
	pyFunctionField
	pyGuardField
	pyKeyField
	pyLeftField
	pyModuleNameField
	pyNameField
	pyObjectField
	pyOperatorField
	pyOperatorsField
	pyParametersField
	pyReturnTypeField
	pyRightField
	pySubjectField
	pySubscriptField
	pySuperclassesField
	pyTypeField
	pyTypeConversionField
	pyTypeParametersField
	pyValueField
)

func fieldNames() []string {
	return []string{
		pyAliasField:           "alias",
		pyAlternativeField:     "alternative",
		pyArgumentField:        "argument",
		pyArgumentsField:       "arguments",
		pyAttributeField:       "attribute",
		pyBodyField:            "body",
		pyCauseField:           "cause",
		pyCodeField:            "code",
		pyConditionField:       "condition",
		pyConsequenceField:     "consequence",
		pyDefinitionField:      "definition",
		pyExpressionField:      "expression",
		pyFormatSpecifierField: "format_specifier",
		pyFunctionField:        "function",
		pyGuardField:           "guard",
		pyKeyField:             "key",
		pyLeftField:            "left",
		pyModuleNameField:      "module_name",
		pyNameField:            "name",
		pyObjectField:          "object",
		pyOperatorField:        "operator",
		pyOperatorsField:       "operators",
		pyParametersField:      "parameters",
		pyReturnTypeField:      "return_type",
		pyRightField:           "right",
		pySubjectField:         "subject",
		pySubscriptField:       "subscript",
		pySuperclassesField:    "superclasses",
		pyTypeField:            "type",
		pyTypeConversionField:  "type_conversion",
		pyTypeParametersField:  "type_parameters",
		pyValueField:           "value",
	}
}
