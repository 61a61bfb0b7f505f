package javascript

import "sallyport/analyze"

// Kinds of node in tree-sitter's JavaScript grammar: every named one except
// those of JSX and Glimmer templates, which no Node reads.
const (
	_ analyze.Kind = iota
	jsIdentifier
	jsHashBangLine
	jsStringFragment
	jsOptionalChain
	jsEscapeSequence
	jsComment
	jsRegexPattern
	jsRegexFlags
	jsNumber
	jsPrivatePropertyIdentifier
	jsThis
	jsSuper
	jsTrue
	jsFalse
	jsNull
	jsUndefined
	jsHtmlComment
	jsProgram
	jsExportStatement
	jsNamespaceExport
	jsExportClause
	jsExportSpecifier
	jsImport
	jsImportStatement
	jsImportClause
	jsNamespaceImport
	jsNamedImports
	jsImportSpecifier
	jsImportAttribute
	jsExpressionStatement
	jsVariableDeclaration
	jsLexicalDeclaration
	jsVariableDeclarator
	jsStatementBlock
	jsElseClause
	jsIfStatement
	jsSwitchStatement
	jsForStatement
	jsForInStatement
	jsWhileStatement
	jsDoStatement
	jsTryStatement
	jsWithStatement
	jsBreakStatement
	jsContinueStatement
	jsDebuggerStatement
	jsReturnStatement
	jsThrowStatement
	jsEmptyStatement
	jsLabeledStatement
	jsSwitchBody
	jsSwitchCase
	jsSwitchDefault
	jsCatchClause
	jsFinallyClause
	jsParenthesizedExpression
	jsYieldExpression
	jsObject
	jsObjectPattern
	jsAssignmentPattern
	jsObjectAssignmentPattern
	jsArray
	jsArrayPattern
	jsMemberExpression
	jsString
	jsClass
	jsClassDeclaration
	jsClassHeritage
	jsFunctionExpression
	jsFunctionDeclaration
	jsGeneratorFunction
	jsGeneratorFunctionDeclaration
	jsArrowFunction
	jsCallExpression
	jsNewExpression
	jsAwaitExpression
	jsSubscriptExpression
	jsAssignmentExpression
	jsAugmentedAssignmentExpression
	jsSpreadElement
	jsTernaryExpression
	jsBinaryExpression
	jsUnaryExpression
	jsUpdateExpression
	jsSequenceExpression
	jsTemplateString
	jsTemplateSubstitution
	jsRegex
	jsMetaProperty
	jsArguments
	jsDecorator
	jsClassBody
	jsFieldDefinition
	jsFormalParameters
	jsClassStaticBlock
	jsRestPattern
	jsMethodDefinition
	jsPair
	jsPairPattern
	jsComputedPropertyName
	jsPropertyIdentifier
	jsShorthandPropertyIdentifier
	jsShorthandPropertyIdentifierPattern
	jsStatementIdentifier
)

func kindNames() []string {
	return []string{
		jsIdentifier:                         "identifier",
		jsHashBangLine:                       "hash_bang_line",
		jsStringFragment:                     "string_fragment",
		jsOptionalChain:                      "optional_chain",
		jsEscapeSequence:                     "escape_sequence",
		jsComment:                            "comment",
		jsRegexPattern:                       "regex_pattern",
		jsRegexFlags:                         "regex_flags",
		jsNumber:                             "number",
		jsPrivatePropertyIdentifier:          "private_property_identifier",
		jsThis:                               "this",
		jsSuper:                              "super",
		jsTrue:                               "true",
		jsFalse:                              "false",
		jsNull:                               "null",
		jsUndefined:                          "undefined",
		jsHtmlComment:                        "html_comment",
		jsProgram:                            "program",
		jsExportStatement:                    "export_statement",
		jsNamespaceExport:                    "namespace_export",
		jsExportClause:                       "export_clause",
		jsExportSpecifier:                    "export_specifier",
		jsImport:                             "import",
		jsImportStatement:                    "import_statement",
		jsImportClause:                       "import_clause",
		jsNamespaceImport:                    "namespace_import",
		jsNamedImports:                       "named_imports",
		jsImportSpecifier:                    "import_specifier",
		jsImportAttribute:                    "import_attribute",
		jsExpressionStatement:                "expression_statement",
		jsVariableDeclaration:                "variable_declaration",
		jsLexicalDeclaration:                 "lexical_declaration",
		jsVariableDeclarator:                 "variable_declarator",
		jsStatementBlock:                     "statement_block",
		jsElseClause:                         "else_clause",
		jsIfStatement:                        "if_statement",
		jsSwitchStatement:                    "switch_statement",
		jsForStatement:                       "for_statement",
		jsForInStatement:                     "for_in_statement",
		jsWhileStatement:                     "while_statement",
		jsDoStatement:                        "do_statement",
		jsTryStatement:                       "try_statement",
		jsWithStatement:                      "with_statement",
		jsBreakStatement:                     "break_statement",
		jsContinueStatement:                  "continue_statement",
		jsDebuggerStatement:                  "debugger_statement",
		jsReturnStatement:                    "return_statement",
		jsThrowStatement:                     "throw_statement",
		jsEmptyStatement:                     "empty_statement",
		jsLabeledStatement:                   "labeled_statement",
		jsSwitchBody:                         "switch_body",
		jsSwitchCase:                         "switch_case",
		jsSwitchDefault:                      "switch_default",
		jsCatchClause:                        "catch_clause",
		jsFinallyClause:                      "finally_clause",
		jsParenthesizedExpression:            "parenthesized_expression",
		jsYieldExpression:                    "yield_expression",
		jsObject:                             "object",
		jsObjectPattern:                      "object_pattern",
		jsAssignmentPattern:                  "assignment_pattern",
		jsObjectAssignmentPattern:            "object_assignment_pattern",
		jsArray:                              "array",
		jsArrayPattern:                       "array_pattern",
		jsMemberExpression:                   "member_expression",
		jsString:                             "string",
		jsClass:                              "class",
		jsClassDeclaration:                   "class_declaration",
		jsClassHeritage:                      "class_heritage",
		jsFunctionExpression:                 "function_expression",
		jsFunctionDeclaration:                "function_declaration",
		jsGeneratorFunction:                  "generator_function",
		jsGeneratorFunctionDeclaration:       "generator_function_declaration",
		jsArrowFunction:                      "arrow_function",
		jsCallExpression:                     "call_expression",
		jsNewExpression:                      "new_expression",
		jsAwaitExpression:                    "await_expression",
		jsSubscriptExpression:                "subscript_expression",
		jsAssignmentExpression:               "assignment_expression",
		jsAugmentedAssignmentExpression:      "augmented_assignment_expression",
		jsSpreadElement:                      "spread_element",
		jsTernaryExpression:                  "ternary_expression",
		jsBinaryExpression:                   "binary_expression",
		jsUnaryExpression:                    "unary_expression",
		jsUpdateExpression:                   "update_expression",
		jsSequenceExpression:                 "sequence_expression",
		jsTemplateString:                     "template_string",
		jsTemplateSubstitution:               "template_substitution",
		jsRegex:                              "regex",
		jsMetaProperty:                       "meta_property",
		jsArguments:                          "arguments",
		jsDecorator:                          "decorator",
		jsClassBody:                          "class_body",
		jsFieldDefinition:                    "field_definition",
		jsFormalParameters:                   "formal_parameters",
		jsClassStaticBlock:                   "class_static_block",
		jsRestPattern:                        "rest_pattern",
		jsMethodDefinition:                   "method_definition",
		jsPair:                               "pair",
		jsPairPattern:                        "pair_pattern",
		jsComputedPropertyName:               "computed_property_name",
		jsPropertyIdentifier:                 "property_identifier",
		jsShorthandPropertyIdentifier:        "shorthand_property_identifier",
		jsShorthandPropertyIdentifierPattern: "shorthand_property_identifier_pattern",
		jsStatementIdentifier:                "statement_identifier",
	}
}

// Fields of a node in tree-sitter's JavaScript grammar.
const (
	_ analyze.Field = iota
	jsAliasField
	jsAlternativeField
	jsArgumentField
	jsArgumentsField
	jsAttributeField
	jsBodyField
	jsCloseTagField
	jsConditionField
	jsConsequenceField
	jsConstructorField
	jsContentField
	jsDeclarationField
	jsDecoratorField
	jsFinalizerField
	jsFlagsField
	jsFunctionField
	jsHandlerField
	jsIncrementField
	jsIndexField
	jsInitializerField
	jsKeyField
	jsKindField
	jsLabelField
	jsLeftField
	jsMemberField
	jsNameField
	jsObjectField
	jsOpenTagField
	jsOperatorField
	jsOptionalChainField
	jsParameterField
	jsParametersField
	jsPatternField
	jsPropertyField
	jsRightField
	jsSourceField
	jsTemplateField
	jsValueField
)

func fieldNames() []string {
	return []string{
		jsAliasField:         "alias",
		jsAlternativeField:   "alternative",
		jsArgumentField:      "argument",
		jsArgumentsField:     "arguments",
		jsAttributeField:     "attribute",
		jsBodyField:          "body",
		jsCloseTagField:      "close_tag",
		jsConditionField:     "condition",
		jsConsequenceField:   "consequence",
		jsConstructorField:   "constructor",
		jsContentField:       "content",
		jsDeclarationField:   "declaration",
		jsDecoratorField:     "decorator",
		jsFinalizerField:     "finalizer",
		jsFlagsField:         "flags",
		jsFunctionField:      "function",
		jsHandlerField:       "handler",
		jsIncrementField:     "increment",
		jsIndexField:         "index",
		jsInitializerField:   "initializer",
		jsKeyField:           "key",
		jsKindField:          "kind",
		jsLabelField:         "label",
		jsLeftField:          "left",
		jsMemberField:        "member",
		jsNameField:          "name",
		jsObjectField:        "object",
		jsOpenTagField:       "open_tag",
		jsOperatorField:      "operator",
		jsOptionalChainField: "optional_chain",
		jsParameterField:     "parameter",
		jsParametersField:    "parameters",
		jsPatternField:       "pattern",
		jsPropertyField:      "property",
		jsRightField:         "right",
		jsSourceField:        "source",
		jsTemplateField:      "template",
		jsValueField:         "value",
	}
}
