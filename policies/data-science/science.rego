# METADATA
# title: Data science
# description: |
#   Baseline, and besides a list of the libraries that data work needs: numpy, pandas, scipy,
#   scikit-learn, matplotlib, sympy, pillow and their kin. Anything else beyond the standard
#   library is denied.
# custom:
#   includes: [baseline]
package sallyport.rules["data-science"]
