/** Request header with the ID of the team that a console session acts for. */
export const TEAM_HEADER = 'X-Team-Id';
