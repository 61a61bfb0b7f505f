import configparser

cp = configparser.ConfigParser()
cp.read_string("[server]\nhost = localhost\nport = 80\n")
print(cp["server"]["host"], cp.getint("server", "port"), cp.sections())
