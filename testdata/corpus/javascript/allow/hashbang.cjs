#!/usr/bin/env node
'use strict';
console.log('run me');
