package javascript

import "sallyport/analyze"

// Kinds of node in tree-sitter's JavaScript grammar: every named one except
// those of JSX and Glimmer templates, which no Node reads.
const (
	_ analyze.Kind = iota
	kindIdentifier
	kindHashBangLine
	kindStringFragment
	kindOptionalChain
	kindEscapeSequence
	kindComment
	kindRegexPattern
	kindRegexFlags
	kindNumber
	kindPrivatePropertyIdentifier
	kindThis
	kindSuper
	kindTrue
	kindFalse
	kindNull
	kindUndefined
	kindHtmlComment
	kindProgram
	kindExportStatement
	kindNamespaceExport
	kindExportClause
	kindExportSpecifier
	kindImport
	kindImportStatement
	kindImportClause
	kindNamespaceImport
	kindNamedImports
	kindImportSpecifier
	kindImportAttribute
	kindExpressionStatement
	kindVariableDeclaration
	kindLexicalDeclaration
	kindVariableDeclarator
	kindStatementBlock
	kindElseClause
	kindIfStatement
	kindSwitchStatement
	kindForStatement
	kindForInStatement
	kindWhileStatement
	kindDoStatement
	kindTryStatement
	kindWithStatement
	kindBreakStatement
	kindContinueStatement
	kindDebuggerStatement
	kindReturnStatement
	kindThrowStatement
	kindEmptyStatement
	kindLabeledStatement
	kindSwitchBody
	kindSwitchCase
	kindSwitchDefault
	kindCatchClause
	kindFinallyClause
	kindParenthesizedExpression
	kindYieldExpression
	kindObject
	kindObjectPattern
	kindAssignmentPattern
	kindObjectAssignmentPattern
	kindArray
	kindArrayPattern
	kindMemberExpression
	kindString
	kindClass
	kindClassDeclaration
	kindClassHeritage
	kindFunctionExpression
	kindFunctionDeclaration
	kindGeneratorFunction
	kindGeneratorFunctionDeclaration
	kindArrowFunction
	kindCallExpression
	kindNewExpression
	kindAwaitExpression
	kindSubscriptExpression
	kindAssignmentExpression
	kindAugmentedAssignmentExpression
	kindSpreadElement
	kindTernaryExpression
	kindBinaryExpression
	kindUnaryExpression
	kindUpdateExpression
	kindSequenceExpression
	kindTemplateString
	kindTemplateSubstitution
	kindRegex
	kindMetaProperty
	kindArguments
	kindDecorator
	kindClassBody
	kindFieldDefinition
	kindFormalParameters
	kindClassStaticBlock
	kindRestPattern
	kindMethodDefinition
	kindPair
	kindPairPattern
	kindComputedPropertyName
	kindPropertyIdentifier
	kindShorthandPropertyIdentifier
	kindShorthandPropertyIdentifierPattern
	kindStatementIdentifier
)

func kindNames() []string {
	return []string{
		kindIdentifier:                         "identifier",
		kindHashBangLine:                       "hash_bang_line",
		kindStringFragment:                     "string_fragment",
		kindOptionalChain:                      "optional_chain",
		kindEscapeSequence:                     "escape_sequence",
		kindComment:                            "comment",
		kindRegexPattern:                       "regex_pattern",
		kindRegexFlags:                         "regex_flags",
		kindNumber:                             "number",
		kindPrivatePropertyIdentifier:          "private_property_identifier",
		kindThis:                               "this",
		kindSuper:                              "super",
		kindTrue:                               "true",
		kindFalse:                              "false",
		kindNull:                               "null",
		kindUndefined:                          "undefined",
		kindHtmlComment:                        "html_comment",
		kindProgram:                            "program",
		kindExportStatement:                    "export_statement",
		kindNamespaceExport:                    "namespace_export",
		kindExportClause:                       "export_clause",
		kindExportSpecifier:                    "export_specifier",
		kindImport:                             "import",
		kindImportStatement:                    "import_statement",
		kindImportClause:                       "import_clause",
		kindNamespaceImport:                    "namespace_import",
		kindNamedImports:                       "named_imports",
		kindImportSpecifier:                    "import_specifier",
		kindImportAttribute:                    "import_attribute",
		kindExpressionStatement:                "expression_statement",
		kindVariableDeclaration:                "variable_declaration",
		kindLexicalDeclaration:                 "lexical_declaration",
		kindVariableDeclarator:                 "variable_declarator",
		kindStatementBlock:                     "statement_block",
		kindElseClause:                         "else_clause",
		kindIfStatement:                        "if_statement",
		kindSwitchStatement:                    "switch_statement",
		kindForStatement:                       "for_statement",
		kindForInStatement:                     "for_in_statement",
		kindWhileStatement:                     "while_statement",
		kindDoStatement:                        "do_statement",
		kindTryStatement:                       "try_statement",
		kindWithStatement:                      "with_statement",
		kindBreakStatement:                     "break_statement",
		kindContinueStatement:                  "continue_statement",
		kindDebuggerStatement:                  "debugger_statement",
		kindReturnStatement:                    "return_statement",
		kindThrowStatement:                     "throw_statement",
		kindEmptyStatement:                     "empty_statement",
		kindLabeledStatement:                   "labeled_statement",
		kindSwitchBody:                         "switch_body",
		kindSwitchCase:                         "switch_case",
		kindSwitchDefault:                      "switch_default",
		kindCatchClause:                        "catch_clause",
		kindFinallyClause:                      "finally_clause",
		kindParenthesizedExpression:            "parenthesized_expression",
		kindYieldExpression:                    "yield_expression",
		kindObject:                             "object",
		kindObjectPattern:                      "object_pattern",
		kindAssignmentPattern:                  "assignment_pattern",
		kindObjectAssignmentPattern:            "object_assignment_pattern",
		kindArray:                              "array",
		kindArrayPattern:                       "array_pattern",
		kindMemberExpression:                   "member_expression",
		kindString:                             "string",
		kindClass:                              "class",
		kindClassDeclaration:                   "class_declaration",
		kindClassHeritage:                      "class_heritage",
		kindFunctionExpression:                 "function_expression",
		kindFunctionDeclaration:                "function_declaration",
		kindGeneratorFunction:                  "generator_function",
		kindGeneratorFunctionDeclaration:       "generator_function_declaration",
		kindArrowFunction:                      "arrow_function",
		kindCallExpression:                     "call_expression",
		kindNewExpression:                      "new_expression",
		kindAwaitExpression:                    "await_expression",
		kindSubscriptExpression:                "subscript_expression",
		kindAssignmentExpression:               "assignment_expression",
		kindAugmentedAssignmentExpression:      "augmented_assignment_expression",
		kindSpreadElement:                      "spread_element",
		kindTernaryExpression:                  "ternary_expression",
		kindBinaryExpression:                   "binary_expression",
		kindUnaryExpression:                    "unary_expression",
		kindUpdateExpression:                   "update_expression",
		kindSequenceExpression:                 "sequence_expression",
		kindTemplateString:                     "template_string",
		kindTemplateSubstitution:               "template_substitution",
		kindRegex:                              "regex",
		kindMetaProperty:                       "meta_property",
		kindArguments:                          "arguments",
		kindDecorator:                          "decorator",
		kindClassBody:                          "class_body",
		kindFieldDefinition:                    "field_definition",
		kindFormalParameters:                   "formal_parameters",
		kindClassStaticBlock:                   "class_static_block",
		kindRestPattern:                        "rest_pattern",
		kindMethodDefinition:                   "method_definition",
		kindPair:                               "pair",
		kindPairPattern:                        "pair_pattern",
		kindComputedPropertyName:               "computed_property_name",
		kindPropertyIdentifier:                 "property_identifier",
		kindShorthandPropertyIdentifier:        "shorthand_property_identifier",
		kindShorthandPropertyIdentifierPattern: "shorthand_property_identifier_pattern",
		kindStatementIdentifier:                "statement_identifier",
	}
}

// Fields of a node in tree-sitter's JavaScript grammar.
const (
	_ analyze.Field = iota
	aliasField
	alternativeField
	argumentField
	argumentsField
	attributeField
	bodyField
	closeTagField
	conditionField
	consequenceField
	constructorField
	contentField
	declarationField
	decoratorField
	finalizerField
	flagsField
	functionField
	handlerField
	incrementField
	indexField
	initializerField
	keyField
	kindField
	labelField
	leftField
	memberField
	nameField
	objectField
	openTagField
	operatorField
	optionalChainField
	parameterField
	parametersField
	patternField
	propertyField
	rightField
	sourceField
	templateField
	valueField
)

func fieldNames() []string {
	return []string{
		aliasField:         "alias",
		alternativeField:   "alternative",
		argumentField:      "argument",
		argumentsField:     "arguments",
		attributeField:     "attribute",
		bodyField:          "body",
		closeTagField:      "close_tag",
		conditionField:     "condition",
		consequenceField:   "consequence",
		constructorField:   "constructor",
		contentField:       "content",
		declarationField:   "declaration",
		decoratorField:     "decorator",
		finalizerField:     "finalizer",
		flagsField:         "flags",
		functionField:      "function",
		handlerField:       "handler",
		incrementField:     "increment",
		indexField:         "index",
		initializerField:   "initializer",
		keyField:           "key",
		kindField:          "kind",
		labelField:         "label",
		leftField:          "left",
		memberField:        "member",
		nameField:          "name",
		objectField:        "object",
		openTagField:       "open_tag",
		operatorField:      "operator",
		optionalChainField: "optional_chain",
		parameterField:     "parameter",
		parametersField:    "parameters",
		patternField:       "pattern",
		propertyField:      "property",
		rightField:         "right",
		sourceField:        "source",
		templateField:      "template",
		valueField:         "value",
	}
}
