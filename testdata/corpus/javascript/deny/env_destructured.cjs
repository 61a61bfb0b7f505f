const { env: { PATH } } = process; console.log(PATH)
