#!/usr/bin/env node
import module from 'node:module';
import v8 from 'node:v8';

module.enableCompileCache?.(); // Node 22.8 and later keep what they compiled: a command starts in three quarters of the time
v8.setFlagsFromString('--heap-growing-percent=100'); // collects garbage at twice what is in use: less memory at the same speed
await import('../dist/cli/main.js');
