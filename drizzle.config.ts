import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'sqlite',
  schema: [
    './src/database/schema/videos.ts',
    './src/database/schema/storage.ts',
    './src/database/schema/runs.ts',
    './src/database/schema/incidents.ts',
    './src/database/schema/targets.ts',
  ],
  out: './drizzle',
});
