// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestInference
import RestKit
import RestMirror
import TestSupport
import Testing

/// The requests before a run, which count for its ceiling.
@Suite(.tags(.socket)) struct AllowanceTests {
    private static func definition(_ base: String, ceiling: Int?) -> Definition {
        Definition(
            api: APIDefinition(
                base: base, budget: BudgetDefinition(ceiling: ceiling),
                pagination: PaginationDefinition(.singlePage)),
            resources: ["a", "b", "c"].map { name in
                ResourceDefinition(
                    name: name, path: Template(text: name), entity: .one(name.uppercased()))
            },
            entities: ["A", "B", "C"].map { name in
                var entity = EntityDefinition(name: name, identity: ["id"])
                entity.infersAttributes = true
                return entity
            })
    }

    private static func fill(_ api: ScriptedAPI) {
        for name in ["a", "b", "c"] { api["/" + name] = #"[{"id": 1, "name": "x"}]"# }
    }

    @Test func completionStaysWithinTheCeiling() async throws {
        let file = try MirrorFile()
        try await ScriptedAPI.run { api, base in
            Self.fill(api)
            let completion = DefinitionCompletion(
                of: Self.definition(base, ceiling: 2), over: CurlTransport(), clock: file.clock,
                budgets: file.budgets)
            let expected = try completion.expectedRequestCount(for: file.url)
            #expect(expected == 3)
            let error = await #expect(throws: MirrorError.self) {
                try await completion.completed(for: file.url)
            }
            #expect(error?.code == .ceilingReached)
            #expect(api.targets.count == 2)
        }
    }

    @Test func completionAndRunShareTheCeiling() async throws {
        let file = try MirrorFile()
        try await ScriptedAPI.run { api, base in
            Self.fill(api)
            let definition = Self.definition(base, ceiling: 100)
            let allowance = RequestAllowance(RequestLimit(5))
            let completed = try await DefinitionCompletion(
                of: definition, over: CurlTransport(), clock: file.clock, budgets: file.budgets,
                allowance: allowance
            ).completed(for: file.url)
            let mirror = try await APIMirror(
                completed, at: file.url, completing: definition, over: CurlTransport(),
                clock: file.clock, budgets: file.budgets)
            let first = try await mirror.run(within: allowance)
            try mirror.close()
            #expect(!first.isComplete)
            #expect(api.targets.count == 5)
            let count = await allowance.count
            #expect(count == 5)
            // The file has the completed definition, so that the next run needs no samples.
            let completion = DefinitionCompletion(of: definition, over: CurlTransport())
            let expected = try completion.expectedRequestCount(for: file.url)
            #expect(expected == 0)
            api.forgetRequests()
            let second = try await file.sync(definition)
            #expect(second.isComplete)
            #expect(api.targets.count <= 3)
        }
    }

    @Test func discoveryUsesWhatItMaySend() async throws {
        let file = try MirrorFile()
        try await ScriptedAPI.run { api, base in
            for number in 1...3 {
                let target = number == 1 ? "/items" : "/items?page=\(number)"
                api[target] = #"[{"id": \#(number)}, {"id": \#(number + 10)}]"#
                let link = "<\(base)items?page=\(number + 1)>; rel=\"next\""
                api.setHeaders(number < 3 ? [("Link", link)] : [], at: target)
            }
            let discovery = MirrorDiscovery(
                of: base + "items", over: CurlTransport(), clock: file.clock,
                allowance: RequestAllowance(RequestLimit(2)))
            let definition = try await discovery.definition().definition
            #expect(definition.entities.count == 1)
            #expect(api.targets == ["/items", "/items?page=2"])
        }
    }
}
