// SPDX-License-Identifier: Apache-2.0

import RestMapping

/// A structure whose values are read by the names of its properties.
struct Person: MappingSubject {
    var name: String
    var age: Int
    var nickname: String?
    var isActive = true
    var height = 1.75
    var employer: Employer?

    static let properties = PropertyTable(
        entity: "Person",
        [
            Property("name", \Person.name, String.self),
            Property("age", \Person.age, Int.self),
            Property("nickname", \Person.nickname, String?.self),
            Property("isActive", \Person.isActive, Bool.self),
            Property("height", \Person.height, Double.self),
            Property("employer", \Person.employer, Author?.self),
        ])

    typealias Employer = Author
}

/// A class with subclasses, whose routes are inherited.
class User: NamedValues {
    let userID: Int?

    init(userID: Int? = 12345) {
        self.userID = userID
    }

    func value(named name: String) throws(MappingError) -> Any? {
        guard name == "userID" else {
            throw .unknownProperty(name, of: "User", among: ["userID"])
        }
        return userID
    }
}

class Member: User {}
final class Moderator: Member {}
final class Visitor {}
