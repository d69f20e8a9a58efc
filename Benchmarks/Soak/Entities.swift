// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit

/// What is loaded into the store: each answer says the same in its title and its state.
@Entity final class Issue: ManagedObject {
    @Identity var id: Int
    var title: String
    var state: String
    @MappedKey("created_at") var createdAt: Date
    var author: Author?
}

/// What an issue is related to.
@Entity final class Author: ManagedObject {
    @Identity var id: Int
    var login: String
    @Inverse(\Issue.author) var issues: Set<Issue>
}

/// What is saved without a request.
@Entity final class Counter: ManagedObject {
    @Identity var id: Int
    var value: Int = 0
}
