/**
 * The texts of the simulated catalogue: Korean and English, with characters that break careless software:
 * quotes, backslashes, newlines, emoji beyond 16 bits, decomposed Hangul, markup, LIKE wildcards, outer
 * spaces.
 */

/** A subject in both languages, with its tags. */
export interface Subject {
  korean: string;
  english: string;
  tags: readonly string[];
}

/** Turns a subject and a number from 1 up into a title. */
export type TitlePattern = (subject: Subject, number: number) => string;

export const SUBJECTS: readonly Subject[] = [
  { korean: '미적분', english: 'Calculus', tags: ['수학', '고3', '수능'] },
  { korean: '한국사', english: 'Korean History', tags: ['한국사', '공무원'] },
  { korean: '영어 회화', english: 'Spoken English', tags: ['영어', 'speaking', '왕초보'] },
  { korean: '파이썬 기초', english: 'Python Basics', tags: ['python', '코딩', 'beginner'] },
  { korean: '자료구조', english: 'Data Structures', tags: ['CS', '면접'] },
  { korean: '공인중개사 민법', english: 'Civil Law', tags: ['공인중개사', '1차'] },
  { korean: '전기기사 실기', english: 'Electrical Engineering', tags: ['자격증', '실기'] },
  { korean: '유기화학', english: 'Organic Chemistry', tags: ['화학', 'lab'] },
  { korean: '데이터 분석', english: 'Data Analysis', tags: ['SQL', '통계', 'BI'] },
  { korean: '요가와 명상', english: 'Yoga & Meditation', tags: ['건강', 'yoga'] },
  { korean: '피아노', english: 'Piano', tags: ['음악', '취미'] },
  { korean: '한식 조리', english: 'Korean Cooking', tags: ['요리', '실습', '한식'] },
  { korean: '세법 개론', english: 'Tax Law', tags: ['회계사', '세무사'] },
  { korean: '디자인 씽킹', english: 'Design Thinking', tags: ['기획', 'UX'] },
];

export const TITLE_PATTERNS: readonly TitlePattern[] = [
  ({ korean }, number) => `[${number}강] ${korean} 핵심 정리`,
  ({ korean }, number) => `${korean} ${number}회 - 기출문제 풀이`,
  ({ english }, number) => `${english}: Lecture ${number}`,
  ({ english }, number) => `${english} in ${number} Minutes ⏱️`,
  ({ korean }, number) => `"${korean}" 완전정복 (${number}/500)`,
  ({ korean, english }, number) => `${korean} & ${english} 🎬 #${number}`,
  ({ english }, number) => `Don't panic! ${english} Q&A, part ${number}`,
  ({ korean }, number) => `🔥 ${korean} 특강 🔥 100% 합격 전략_${number}`,
  ({ english }, number) => `${english} – “Office Hours” ${number}`,
  ({ english }, number) => `${english.toLowerCase()} (unlisted) v${number}_final_FINAL`,
  ({ korean }, number) => `ＬＩＶＥ ${korean} 다시보기 ${number}부`,
  ({ korean }, number) => `${korean.normalize('NFD')} 보충 ${number}`,
  ({ korean }, number) => ` ${korean}  라이브 ${number} `,
  ({ english }, number) => `<b>${english}</b> \\ draft ${number}`,
];

export const SENTENCES: readonly string[] = [
  '이 강의에서는 기본 개념을 차근차근 정리하고, 예제를 함께 풀어 봅니다.',
  '지난 시간에 배운 내용을 "한 장"으로 요약했습니다.',
  '수강생 여러분의 질문을 모아 답해 드리는 시간입니다 🙋‍♀️🙋‍♂️',
  "Bring last week's worksheet; we start where we stopped.",
  'Slides, source code and subtitles (KO/EN) are in the attachment.',
  'The second half is a worked example: 3 problems, 20 minutes, no calculator.',
  '교재 42~57쪽, 실습 파일은 C:\\강의\\실습\\자료.zip 에 있습니다.',
  '시험에 자주 나오는 함정 문제 <b>TOP 10</b>을 소개합니다!',
  '※ 저작권 보호를 위해 무단 복제 및 배포를 금합니다.',
  'Recorded live; the sound drops out for a moment at 00:12:30.',
  '감사합니다. 구독과 좋아요 👍🏽 부탁드립니다.',
  '👩‍🏫 담당: 콘텐츠 제작팀 (내선 1234)',
];

export const SENTENCE_BREAKS: readonly string[] = [' ', ' ', '\n', '\n\n', '\r\n', '\t'];

export const AUTHORS: readonly string[] = [
  '김하늘',
  '이서연',
  '박도윤 (Park Doyun)',
  "Conor O'Brien",
  'Zoë Müller-Ångström',
  '콘텐츠 제작팀',
  '최 선생님 👨‍🏫',
  'Maria "Mia" Lopez',
];

export const COPYRIGHTS: readonly string[] = [
  '© 샌드박스 아카데미',
  'Sandbox Studios, Inc. All rights reserved.',
  'CC BY 4.0',
  '(주)예시교육',
];

export const RATES: readonly string[] = ['ALL', '12', '15', '19'];

export const REMARKS: readonly string[] = [
  '비고: 없음',
  '{"level": 3, "note": "a \\"quoted\\" word"}',
  'reviewed|2nd pass|OK',
  '재촬영 예정\n담당자 확인 필요',
];
