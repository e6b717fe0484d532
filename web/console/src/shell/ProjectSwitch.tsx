import { visible } from "../logic/visible";
import { texts } from "../store";
import { project, projectName, projects } from "./projects";

/** Selects the project whose work is shown; hidden if there is only one. */
export function ProjectSwitch() {
  const t = texts.value;
  const all = projects.value;
  if (all.length === 0) return null;
  if (all.length === 1) return <div class="project" title={visible(all[0]!.path)}><b>{visible(all[0]!.name)}</b></div>;
  return (
    <div class="project">
      <select aria-label={t.project} value={project.value} onChange={(event) => (project.value = event.currentTarget.value)}>
        <option value="">{t.allProjects}</option>
        {all.map(({ path }) => <option key={path} value={path}>{visible(projectName(path))}</option>)}
      </select>
    </div>
  );
}
