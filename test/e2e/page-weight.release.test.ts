import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { html, js, later } from '../../src/page/assets.generated.js';
import { skipWithoutBrowser } from './browser.js';
