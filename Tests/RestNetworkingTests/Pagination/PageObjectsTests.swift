// SPDX-License-Identifier: Apache-2.0

import RestMapping
import RestNetworking
import RestTesting
import TestSupport
import Testing

@Suite(.tags(.socket)) struct PageObjectsTests {
    @Test func returnsObjectsOfAllPagesInOrder() async throws {
        try await withList({ request in
            let cursor = request.number("cursor") ?? 0
            // The second page is empty, although others follow.
            let slice = cursor == 3 ? "[]" : ListSlice(start: cursor, count: 3).clamped(to: 7).json
            return .json(slice, headers: cursor < 6 ? [("Next", "\(cursor + 3)")] : [])
        }) { api, server in
            let pages = api.pages(
                of: Article.self, at: "articles", by: .cursor(at: .headerField("Next")))
            var ids: [Int] = []
            for try await article in pages.objects { ids.append(article.id) }
            #expect(ids == [1, 2, 3, 7])
            #expect(server.requests.count == 3)
        }
    }

    @Test func requestsOnlyPagesOfReturnedObjects() async throws {
        try await withList({ request in
            .json(ListSlice(start: request.number("offset") ?? 0, count: 2).json)
        }) { api, server in
            for try await article in api.pages(
                of: Article.self, at: "articles", by: .offset()
            ).objects where article.id == 4 {
                break
            }
            #expect(server.requests.count == 2)
        }
    }

    @Test @MainActor func returnsObjectsToCallersActor() async throws {
        try await withList({ _ in .json(#"[{"text": "a"}, {"text": "b"}]"#) }) { api, _ in
            var texts: [String] = []
            for try await note in api.pages(of: Note.self, at: "notes", by: .linkHeader).objects {
                MainActor.assertIsolated()
                note.text += "!"
                texts.append(note.text)
            }
            #expect(texts == ["a!", "b!"])
        }
    }
}
