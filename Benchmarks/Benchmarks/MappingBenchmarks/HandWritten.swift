// SPDX-License-Identifier: Apache-2.0

import RestDocument

// Articles extracted from a document by hand, without a mapping.

/// An error for a member that is missing or of another type.
struct UnreadableMember: Error {
    let key: String
}

extension Node {
    fileprivate func required<Value>(
        _ key: String, _ read: (Node) throws -> Value?
    ) throws -> Value {
        guard let member = self[key], let value = try read(member) else {
            throw UnreadableMember(key: key)
        }
        return value
    }

    fileprivate func optional<Value>(
        _ key: String, _ read: (Node) throws -> Value?
    ) throws -> Value? {
        guard let member = self[key], !member.isNull else { return nil }
        guard let value = try read(member) else { throw UnreadableMember(key: key) }
        return value
    }

    fileprivate func list<Value>(
        _ key: String, _ read: (Node) throws -> Value?
    ) throws -> [Value] {
        try required(key) { list in
            var values: [Value] = []
            values.reserveCapacity(list.count)
            for element in list.elements {
                guard let value = try read(element) else { throw UnreadableMember(key: key) }
                values.append(value)
            }
            return values
        }
    }

    fileprivate func int(_ key: String) throws -> Int {
        Int(try required(key, \.int64))
    }
}

extension ArticlePage {
    init(handWritten node: Node) throws {
        self.init(data: try node.list("data", Article.init(handWritten:)))
    }
}

extension Article {
    fileprivate init(handWritten node: Node) throws {
        self.init(
            id: try node.int("id"), slug: try node.required("slug", \.string),
            title: try node.required("title", \.string),
            body: try node.required("body", \.string),
            published: try node.required("published", \.bool),
            createdAt: try node.required("created_at", \.string),
            updatedAt: try node.optional("updated_at", \.string),
            price: try node.required("price", \.double),
            rating: try node.optional("rating", \.double), views: try node.int("views"),
            author: try node.required("author", Person.init(handWritten:)),
            category: try node.optional("category", Category.init(handWritten:)),
            tags: try node.list("tags", \.string),
            comments: try node.list("comments", Comment.init(handWritten:)))
    }
}

extension Comment {
    fileprivate init(handWritten node: Node) throws {
        self.init(
            id: try node.int("id"),
            author: try node.required("author", Person.init(handWritten:)),
            body: try node.required("body", \.string), likes: try node.int("likes"),
            createdAt: try node.required("created_at", \.string))
    }
}

extension Person {
    fileprivate init(handWritten node: Node) throws {
        self.init(
            id: try node.int("id"), name: try node.required("name", \.string),
            email: try node.optional("email", \.string),
            avatarUrl: try node.required("avatar_url", \.string),
            verified: try node.required("verified", \.bool))
    }
}

extension Category {
    fileprivate init(handWritten node: Node) throws {
        self.init(id: try node.int("id"), name: try node.required("name", \.string))
    }
}
