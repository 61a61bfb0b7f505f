package python

import "sallyport/analyze"

// Kinds of node in tree-sitter's Python grammar: every named one, and the
// words and operators that the walk looks at.
const (
	_ analyze.Kind = iota
	kindIdentifier
	kindEllipsis
	kindEscapeSequence
	kindTypeConversion
	kindInteger
	kindFloat
	kindTrue
	kindFalse
	kindNone
	kindComment
	kindLineContinuation
	kindStringStart
	kindEscapeInterpolation
	kindStringEnd
	kindModule
	kindImportStatement
	kindImportPrefix
	kindRelativeImport
	kindFutureImportStatement
	kindImportFromStatement
	kindAliasedImport
	kindWildcardImport
	kindPrintStatement
	kindChevron
	kindAssertStatement
	kindExpressionStatement
	kindNamedExpression
	kindReturnStatement
	kindDeleteStatement
	kindRaiseStatement
	kindPassStatement
	kindBreakStatement
	kindContinueStatement
	kindIfStatement
	kindElifClause
	kindElseClause
	kindMatchStatement
	kindBlock
	kindCaseClause
	kindForStatement
	kindWhileStatement
	kindTryStatement
	kindExceptClause
	kindExceptGroupClause
	kindFinallyClause
	kindWithStatement
	kindWithClause
	kindWithItem
	kindFunctionDefinition
	kindParameters
	kindLambdaParameters
	kindListSplat
	kindDictionarySplat
	kindGlobalStatement
	kindNonlocalStatement
	kindExecStatement
	kindTypeAliasStatement
	kindClassDefinition
	kindTypeParameter
	kindParenthesizedListSplat
	kindArgumentList
	kindDecoratedDefinition
	kindDecorator
	kindExpressionList
	kindDottedName
	kindCasePattern
	kindAsPattern
	kindUnionPattern
	kindListPattern
	kindTuplePattern
	kindDictPattern
	kindKeywordPattern
	kindSplatPattern
	kindClassPattern
	kindComplexPattern
	kindDefaultParameter
	kindTypedDefaultParameter
	kindListSplatPattern
	kindDictionarySplatPattern
	kindNotOperator
	kindBooleanOperator
	kindBinaryOperator
	kindUnaryOperator
	kindComparisonOperator
	kindLambda
	kindAssignment
	kindAugmentedAssignment
	kindPatternList
	kindYield
	kindAttribute
	kindSubscript
	kindSlice
	kindCall
	kindTypedParameter
	kindType
	kindSplatType
	kindGenericType
	kindUnionType
	kindConstrainedType
	kindMemberType
	kindKeywordArgument
	kindList
	kindSet
	kindTuple
	kindDictionary
	kindPair
	kindListComprehension
	kindDictionaryComprehension
	kindSetComprehension
	kindGeneratorExpression
	kindParenthesizedExpression
	kindForInClause
	kindIfClause
	kindConditionalExpression
	kindConcatenatedString
	kindString
	kindStringContent
	kindInterpolation
	kindFormatSpecifier
	kindAwait
	kindPositionalSeparator
	kindKeywordSeparator
	kindAsPatternTarget
	kindFormatExpression
	kindWordAwait
	kindWordAsync
	kindWordLambda
	kindPlus
	kindMinus
	kindStar
	kindSlash
	kindFloorDivide
	kindPercent
	kindPipe
	kindAmpersand
	kindCaret
	kindAt
	kindShiftLeft
	kindShiftRight
	kindPower
	kindNot
	kindAnd
	kindOr
	kindUnderscore
	kindWordPrint
	kindWordExec
	kindBraceOpen
	kindBraceClose
	kindWalrus
)

func kindNames() []string {
	return []string{
		kindIdentifier:              "identifier",
		kindEllipsis:                "ellipsis",
		kindEscapeSequence:          "escape_sequence",
		kindTypeConversion:          "type_conversion",
		kindInteger:                 "integer",
		kindFloat:                   "float",
		kindTrue:                    "true",
		kindFalse:                   "false",
		kindNone:                    "none",
		kindComment:                 "comment",
		kindLineContinuation:        "line_continuation",
		kindStringStart:             "string_start",
		kindEscapeInterpolation:     "escape_interpolation",
		kindStringEnd:               "string_end",
		kindModule:                  "module",
		kindImportStatement:         "import_statement",
		kindImportPrefix:            "import_prefix",
		kindRelativeImport:          "relative_import",
		kindFutureImportStatement:   "future_import_statement",
		kindImportFromStatement:     "import_from_statement",
		kindAliasedImport:           "aliased_import",
		kindWildcardImport:          "wildcard_import",
		kindPrintStatement:          "print_statement",
		kindChevron:                 "chevron",
		kindAssertStatement:         "assert_statement",
		kindExpressionStatement:     "expression_statement",
		kindNamedExpression:         "named_expression",
		kindReturnStatement:         "return_statement",
		kindDeleteStatement:         "delete_statement",
		kindRaiseStatement:          "raise_statement",
		kindPassStatement:           "pass_statement",
		kindBreakStatement:          "break_statement",
		kindContinueStatement:       "continue_statement",
		kindIfStatement:             "if_statement",
		kindElifClause:              "elif_clause",
		kindElseClause:              "else_clause",
		kindMatchStatement:          "match_statement",
		kindBlock:                   "block",
		kindCaseClause:              "case_clause",
		kindForStatement:            "for_statement",
		kindWhileStatement:          "while_statement",
		kindTryStatement:            "try_statement",
		kindExceptClause:            "except_clause",
		kindExceptGroupClause:       "except_group_clause",
		kindFinallyClause:           "finally_clause",
		kindWithStatement:           "with_statement",
		kindWithClause:              "with_clause",
		kindWithItem:                "with_item",
		kindFunctionDefinition:      "function_definition",
		kindParameters:              "parameters",
		kindLambdaParameters:        "lambda_parameters",
		kindListSplat:               "list_splat",
		kindDictionarySplat:         "dictionary_splat",
		kindGlobalStatement:         "global_statement",
		kindNonlocalStatement:       "nonlocal_statement",
		kindExecStatement:           "exec_statement",
		kindTypeAliasStatement:      "type_alias_statement",
		kindClassDefinition:         "class_definition",
		kindTypeParameter:           "type_parameter",
		kindParenthesizedListSplat:  "parenthesized_list_splat",
		kindArgumentList:            "argument_list",
		kindDecoratedDefinition:     "decorated_definition",
		kindDecorator:               "decorator",
		kindExpressionList:          "expression_list",
		kindDottedName:              "dotted_name",
		kindCasePattern:             "case_pattern",
		kindAsPattern:               "as_pattern",
		kindUnionPattern:            "union_pattern",
		kindListPattern:             "list_pattern",
		kindTuplePattern:            "tuple_pattern",
		kindDictPattern:             "dict_pattern",
		kindKeywordPattern:          "keyword_pattern",
		kindSplatPattern:            "splat_pattern",
		kindClassPattern:            "class_pattern",
		kindComplexPattern:          "complex_pattern",
		kindDefaultParameter:        "default_parameter",
		kindTypedDefaultParameter:   "typed_default_parameter",
		kindListSplatPattern:        "list_splat_pattern",
		kindDictionarySplatPattern:  "dictionary_splat_pattern",
		kindNotOperator:             "not_operator",
		kindBooleanOperator:         "boolean_operator",
		kindBinaryOperator:          "binary_operator",
		kindUnaryOperator:           "unary_operator",
		kindComparisonOperator:      "comparison_operator",
		kindLambda:                  "lambda",
		kindAssignment:              "assignment",
		kindAugmentedAssignment:     "augmented_assignment",
		kindPatternList:             "pattern_list",
		kindYield:                   "yield",
		kindAttribute:               "attribute",
		kindSubscript:               "subscript",
		kindSlice:                   "slice",
		kindCall:                    "call",
		kindTypedParameter:          "typed_parameter",
		kindType:                    "type",
		kindSplatType:               "splat_type",
		kindGenericType:             "generic_type",
		kindUnionType:               "union_type",
		kindConstrainedType:         "constrained_type",
		kindMemberType:              "member_type",
		kindKeywordArgument:         "keyword_argument",
		kindList:                    "list",
		kindSet:                     "set",
		kindTuple:                   "tuple",
		kindDictionary:              "dictionary",
		kindPair:                    "pair",
		kindListComprehension:       "list_comprehension",
		kindDictionaryComprehension: "dictionary_comprehension",
		kindSetComprehension:        "set_comprehension",
		kindGeneratorExpression:     "generator_expression",
		kindParenthesizedExpression: "parenthesized_expression",
		kindForInClause:             "for_in_clause",
		kindIfClause:                "if_clause",
		kindConditionalExpression:   "conditional_expression",
		kindConcatenatedString:      "concatenated_string",
		kindString:                  "string",
		kindStringContent:           "string_content",
		kindInterpolation:           "interpolation",
		kindFormatSpecifier:         "format_specifier",
		kindAwait:                   "await",
		kindPositionalSeparator:     "positional_separator",
		kindKeywordSeparator:        "keyword_separator",
		kindAsPatternTarget:         "as_pattern_target",
		kindFormatExpression:        "format_expression",
		kindWordAwait:               "'await",
		kindWordAsync:               "'async",
		kindWordLambda:              "'lambda",
		kindPlus:                    "'+",
		kindMinus:                   "'-",
		kindStar:                    "'*",
		kindSlash:                   "'/",
		kindFloorDivide:             "'//",
		kindPercent:                 "'%",
		kindPipe:                    "'|",
		kindAmpersand:               "'&",
		kindCaret:                   "'^",
		kindAt:                      "'@",
		kindShiftLeft:               "'<<",
		kindShiftRight:              "'>>",
		kindPower:                   "'**",
		kindNot:                     "'not",
		kindAnd:                     "'and",
		kindOr:                      "'or",
		kindUnderscore:              "'_",
		kindWordPrint:               "'print",
		kindWordExec:                "'exec",
		kindBraceOpen:               "'{",
		kindBraceClose:              "'}",
		kindWalrus:                  "':=",
	}
}

// Fields of a node in tree-sitter's Python grammar.
const (
	_ analyze.Field = iota
	aliasField
	alternativeField
	argumentField
	argumentsField
	attributeField
	bodyField
	causeField
	codeField
	conditionField
	consequenceField
	definitionField
	expressionField
	formatSpecifierField
	functionField
	guardField
	keyField
	leftField
	moduleNameField
	nameField
	objectField
	operatorField
	operatorsField
	parametersField
	returnTypeField
	rightField
	subjectField
	subscriptField
	superclassesField
	typeField
	typeConversionField
	typeParametersField
	valueField
)

func fieldNames() []string {
	return []string{
		aliasField:           "alias",
		alternativeField:     "alternative",
		argumentField:        "argument",
		argumentsField:       "arguments",
		attributeField:       "attribute",
		bodyField:            "body",
		causeField:           "cause",
		codeField:            "code",
		conditionField:       "condition",
		consequenceField:     "consequence",
		definitionField:      "definition",
		expressionField:      "expression",
		formatSpecifierField: "format_specifier",
		functionField:        "function",
		guardField:           "guard",
		keyField:             "key",
		leftField:            "left",
		moduleNameField:      "module_name",
		nameField:            "name",
		objectField:          "object",
		operatorField:        "operator",
		operatorsField:       "operators",
		parametersField:      "parameters",
		returnTypeField:      "return_type",
		rightField:           "right",
		subjectField:         "subject",
		subscriptField:       "subscript",
		superclassesField:    "superclasses",
		typeField:            "type",
		typeConversionField:  "type_conversion",
		typeParametersField:  "type_parameters",
		valueField:           "value",
	}
}
