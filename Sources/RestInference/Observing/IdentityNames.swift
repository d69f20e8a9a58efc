// SPDX-License-Identifier: Apache-2.0

/// The names of members that identify objects.
enum IdentityNames {
    private static let ranks: [String: Int] = [
        "id": 0, "_id": 1, "@id": 2, "uuid": 3, "guid": 4, "pk": 5, "uid": 6, "gid": 7, "sid": 7,
        "oid": 7, "nid": 7,
        "sha": 8, "digest": 9, "hash": 10,
        "key": 12, "code": 13, "slug": 14, "sku": 15, "isbn": 16, "login": 17, "username": 18,
        "iso": 19, "symbol": 20, "url": 24, "self": 25, "href": 26, "uri": 27,
        "identifier": 9, "number": 30, "name": 34, "email": 33, "title": 40,
    ]

    /// Returns the rank of a name, 0 for the best one; `nil` for a name that is not customary.
    static func rank(of key: String) -> Int? { ranks[key.lowercased()] }

    /// Returns a Boolean value that indicates whether a member is named like a number of an object.
    static func isStrong(_ key: String) -> Bool { (rank(of: key) ?? 99) < 10 }

    /// Returns a Boolean value that indicates whether a name is one word that ends with `id`, such as `pageid`.
    ///
    /// Adjectives do as well, so that such a name alone shows little.
    static func endsWithID(_ key: String) -> Bool {
        key.count >= 5 && key.hasSuffix("id")
            && key.utf8.allSatisfy { (0x61...0x7A).contains($0) }
            && !["valid", "invalid", "unpaid", "prepaid", "postpaid", "hybrid", "android"]
                .contains(key)
    }

    /// Returns a Boolean value that indicates whether a member is named like a URL of its object.
    static func isURL(_ key: String) -> Bool { (24...27).contains(rank(of: key) ?? 0) }

    /// Returns a Boolean value that indicates whether a member is named like a code of its object.
    static func isCode(_ key: String) -> Bool { (12...20).contains(rank(of: key) ?? 0) }

    /// Returns a Boolean value that indicates whether a member is named like a reference, such as `user_id`.
    static func isReference(_ key: String) -> Bool { stem(of: key) != nil }

    /// Returns the name of what a member refers to, such as `user` for `user_id` and `userIds`; `nil` without
    /// such an ending.
    ///
    /// - Parameters:
    ///   - key: The name of the member.
    ///   - isURL: A Boolean value that indicates whether the values are URLs, so that `issue_url` is `issue`.
    /// - Returns: The words, with underscores between them.
    static func stem(of key: String, isURL: Bool = false) -> String? {
        var words = Words.words(of: key)
        guard words.count > 1, let last = words.popLast() else { return nil }
        let endings: Set<String> = [
            "id", "ids", "uuid", "uuids", "guid", "key", "code", "slug", "ref",
        ]
        // Some names begin with the word, such as `idBoard`.
        if ["id", "ids"].contains(words[0]), !endings.contains(last) {
            return (words.dropFirst() + [last]).joined(separator: "_")
        }
        let isEnding =
            endings.contains(last) || isURL && ["url", "urls", "uri", "href"].contains(last)
        return isEnding ? words.joined(separator: "_") : nil
    }

    /// The names of roles that persons have.
    private static let roles: Set<String> = [
        "author", "owner", "creator", "editor", "assignee", "reporter", "requester", "submitter",
        "reviewer", "modifier", "friend", "follower", "participant", "contributor", "invitee",
        "inviter", "mention", "committer", "member", "subscriber", "sender", "recipient",
        "createdby",
        "updatedby", "actor", "manager",
    ]
    private static let persons: Set<String> = [
        "user", "person", "account", "member", "author", "employee", "contact", "profile",
    ]

    /// Returns a Boolean value that indicates whether a name is a role and an entity a kind of person.
    static func isRole(_ name: String, of entity: String) -> Bool {
        let words = Words.words(of: name)
        return persons.contains(entity.lowercased())
            && (isRole(words.joined()) || words.last.map { isRole($0) } == true)
    }

    /// Returns a Boolean value that indicates whether a name is a role of persons.
    static func isRole(_ name: String) -> Bool { roles.contains(Words.singular(name.lowercased())) }

    /// Returns a Boolean value that indicates whether objects at a key have members that users choose.
    static func isOpen(_ key: String) -> Bool {
        [
            "metadata", "meta", "custom_fields", "customfields", "extra", "extras", "annotations",
            "properties", "custom", "custom_attributes", "additional_properties", "tags", "labels",
        ].contains(key.lowercased())
    }

    /// Returns a Boolean value that indicates whether a key is a number, a UUID or a date.
    static func isIdentifier(_ key: String) -> Bool {
        guard !key.isEmpty else { return false }
        if key.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return true }
        let form = TextForm(Array(key.utf8))
        switch form {
        case .uuid, .day, .date: return true
        case .zonelessDate, .url, .other: break
        }
        return key.utf8.count >= 16
            && key.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
