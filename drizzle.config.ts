import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'sqlite',
  schema: [
    './src/warehouse/schema/videos.ts',
    './src/warehouse/schema/storage.ts',
    './src/warehouse/schema/runs.ts',
    './src/warehouse/schema/incidents.ts',
  ],
  out: './drizzle',
});
