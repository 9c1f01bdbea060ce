import { z } from 'zod';
import { settingsSchema } from './schema.ts';

/**
 * The JSON schema (draft 7) of `vodhouse.yaml`, for editors: every key with its meaning, unit and default.
 * It takes the file as it is written, so any text may hold a `${NAME}`.
 */
export function configJsonSchema(): object {
  const { $schema, ...schema } = z.toJSONSchema(settingsSchema, {
    target: 'draft-7',
    io: 'input',
    override: ({ jsonSchema }) => {
      // zod's own bound of whole numbers: true, but noise in an editor.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return { $schema, title: 'vodhouse.yaml', description: 'The config of vodhouse.', ...schema };
}
