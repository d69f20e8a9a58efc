// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping

extension Workload {
    /// The workloads that map documents to objects.
    static let mapping = [
        Workload("map articles", collection) { bytes in
            try articles(bytes, ObjectMapping(for: Article.self))
        },
        Workload("map one small object", { #"{"id":7,"name":"blake"}"# }) { bytes in
            let document = try Document(parsing: bytes)
            let plan = try MappingCompiler().compile(ObjectMapping(for: Person.self))
            return { use(try plan.object(Person.self, from: document.root)) }
        },
        Workload("map dotted keys", collection) { bytes in
            try articles(
                bytes,
                ObjectMapping(
                    for: Article.self,
                    ["id": "id", "_links.self.href": "title", "comments.author.name": "tags"]))
        },
        Workload("map key paths", collection) { bytes in
            try articles(
                bytes,
                ObjectMapping(
                    for: Article.self,
                    ["id": "id", "tags[0]": "title", "comments[0].author": "author"]))
        },
        // A slug is not a number, so every article has an issue.
        Workload("map with issues", collection) { bytes in
            try articles(bytes, ObjectMapping(for: Article.self, ["id": "id", "slug": "rating"]))
        },
    ]

    /// Returns a pass that maps the generated articles with a mapping.
    private static func articles(
        _ bytes: [UInt8], _ mapping: ObjectMapping
    ) throws -> () throws -> Void {
        let document = try Document(parsing: bytes)
        let plan = try MappingCompiler().compile(mapping)
        guard let list = document.root["data"] else { fatalError("the collection has no articles") }
        return { use(try plan.objects(Article.self, from: list)) }
    }
}
