# METADATA
# title: Baseline
# description: |
#   The default. Ordinary programs pass. What starts other programs, reaches the network, becomes
#   code while it runs, leaves the interpreter, or hides what it does is denied.
package sallyport.rules.baseline
