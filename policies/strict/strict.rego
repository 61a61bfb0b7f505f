# METADATA
# title: Strict
# description: |
#   For code that should only compute. Baseline, and besides: modules must be on a list, nothing may
#   be dynamic, reflective or unknown, and files must be named by constant paths.
# custom:
#   includes: [baseline]
package sallyport.rules.strict
