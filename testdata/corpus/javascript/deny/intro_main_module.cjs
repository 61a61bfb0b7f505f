const { mainModule: { require: r } } = process; console.log(r('path').sep)
