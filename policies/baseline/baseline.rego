# METADATA
# title: Baseline
# description: |
#   The default. Ordinary programs pass; what reaches out of the interpreter,
#   or around what can be judged, does not.
package sallyport.rules.baseline
