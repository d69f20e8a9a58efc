// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument
import RestMirror
import RestTesting
import RestYAML
import TestSupport
import Testing

/// Plans of runs.
@Suite(.tags(.socket)) struct MirrorPlanTests {
    private static func file(_ base: String = "https://api.example.com/") throws -> DefinitionFile {
        try DefinitionFile(
            reading: SourceValue(
                parsingYAML: """
                    version: 1
                    api:
                      base: "\(base)"
                      pagination: header_link
                      budget: {ceiling: 3}
                    resources:
                      projects: {path: projects, entity: Project}
                      tasks:
                        path: "projects/{projects.id}/tasks"
                        for_each: projects
                        deletion: walk
                        entity: Task
                    entities:
                      Project: {identity: id}
                      Task: {identity: id, attributes: {id: integer, title: text}}
                    """))
    }

    @Test func settingsHaveTheirOrigins() throws {
        let plan = try MirrorPlan(of: Self.file())
        func setting(_ path: String) -> String? {
            plan.settings.first { $0.path.description == path }
                .map { "\($0.value ?? "–") from \($0.origin)" }
        }
        #expect(setting("api.budget.ceiling") == "3 from 5:12")
        #expect(setting("resources.projects.pagination") == "header_link from api, 4:3")
        #expect(setting("resources.tasks.deletion") == "walk from 11:5")
        #expect(setting("resources.projects.deletion") == "none from default")
        #expect(setting("resources.projects.method") == "GET from default")
        #expect(setting("entities.Task.attributes.title") == "text from 15:50")
        #expect(plan.ceiling == 3)
    }

    @Test func requestsFollowFromLastRunAndPresentParents() async throws {
        let file = try MirrorFile()
        try await ScriptedAPI.run { api, base in
            let definition = try Self.file(base)
            let first = try MirrorPlan(of: definition, storedIn: file.url)
            #expect(first.expectations.map(\.requestCount) == [1, 0])
            #expect(first.isMinimum)
            api["/projects"] = #"[{"id": 1}, {"id": 2}]"#
            api["/projects/1/tasks"] = #"[{"id": 1, "title": "a"}]"#
            api.setHeaders(
                [("Link", "<\(base)more>; rel=\"next\"")], at: "/projects/1/tasks")
            api["/more"] = #"[{"id": 2, "title": "b"}]"#
            api["/projects/2/tasks"] = "[]"
            var run = definition.definition
            run.api.budget.ceiling = nil
            #expect(try await file.sync(run).isComplete)
            let second = try MirrorPlan(of: definition, storedIn: file.url)
            #expect(second.expectations.map(\.listCount) == [1, 2])
            #expect(second.expectations.map(\.requestCount) == [1, 3])
            #expect(!second.isMinimum)
            #expect(second.requestCount == 4)
            // The attributes of `Project` were found in records.
            let origin = second.settings.first {
                $0.path.description == "entities.Project.attributes.id"
            }
            #expect(origin?.origin == .inferred)
            api.forgetRequests()
            #expect(try await file.sync(run).isComplete)
            #expect(api.targets.count == second.requestCount)
        }
    }
}
