const table = { web: require('http'), text: require('util') }; table['web'].get('http://127.0.0.1:9/').on('error', () => {})
