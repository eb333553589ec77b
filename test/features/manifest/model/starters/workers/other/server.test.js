const { createServer } = require('node:http');

createServer().listen(8080);
