// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit

/// An issue that is loaded into the store; title and state of a response always agree.
@Entity final class Issue: ManagedObject {
    @Identity var id: Int
    var title: String
    var state: String
    @MappedKey("created_at") var createdAt: Date
    var author: Author?
}

/// The author of an issue.
@Entity final class Author: ManagedObject {
    @Identity var id: Int
    var login: String
    @Inverse(\Issue.author) var issues: Set<Issue>
}

/// A row that is saved without a request.
@Entity final class Counter: ManagedObject {
    @Identity var id: Int
    var value: Int = 0
}
