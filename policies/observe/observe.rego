# METADATA
# title: Observe
# description: |
#   For rolling out. Judges as strict does and writes down every finding, but denies nothing.
#   What cannot be judged at all (syntax that is not understood, a policy that fails) is denied here too.
# custom:
#   includes: [baseline, strict]
#   at_most: log
package sallyport.rules.observe
