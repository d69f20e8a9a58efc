// SPDX-License-Identifier: Apache-2.0

#if Macros
import Foundation
import RestDocument
import RestMapping

/// The resources of the recorded GitHub API.
enum Resources {
    @Mapped struct Account: Equatable {
        let login: String
        var id: Int?
    }

    @Mapped(keys: .snakeCase) struct Repository {
        let name: String
        let owner: Account
        var id: Int?
        var fullName: String?
        var defaultBranch: String?
        var topics: [String] = []
        var pushedAt: Date?
        var license: String?
    }

    @Mapped struct Label: Equatable {
        var name: String
        var color: String
        var id: Int?
        @MappedKey("default") var isDefault = false
    }

    @Mapped struct IssueDraft {
        var title: String
    }

    @Mapped(keys: .snakeCase) struct Issue {
        let id: Int
        let number: Int
        var title: String
        var user: Account
        var labels: [Label] = []
        var createdAt: Date
        var closedAt: Date?
        var body: String?
    }

    @Mapped(keys: .snakeCase) struct SearchSummary {
        let totalCount: Int
        @MappedKey("incomplete_results") var isIncomplete: Bool
    }

    @Mapped(keys: .snakeCase) struct Invitation {
        let id: Int
        var repository: Repository
        var invitee: Account
        var inviter: Account
        var permissions: String
        var createdAt: Date
    }

    enum State: String, MappableValue {
        case failure
        case success
    }

    @Mapped(keys: .snakeCase) struct StatusDraft {
        var state: State
        var targetUrl: String
        var description: String
        var context: String
    }

    @Mapped(keys: .snakeCase) struct Status {
        let id: Int
        var state: State
        var context: String
        var createdAt: Date
        var creator: Account?
    }

    @Mapped(keys: .snakeCase) struct CombinedStatus {
        let sha: String
        var state: State
        var totalCount: Int
        var statuses: [Status]
        var repository: Repository
    }

    /// A file to create, whose content is encoded as Base64 by the encoder of the manager.
    struct FileDraft: Encodable {
        var message: String
        var content: Data
    }

    @Mapped struct Content {
        let name: String
        let path: String
        var sha: String
        var size: Int
    }

    @Mapped struct Signature {
        var name: String
        var date: Date
    }

    @Mapped struct Commit {
        let sha: String
        var message: String
        var author: Signature
    }

    @Mapped struct FileCommit {
        var content: Content
        var commit: Commit
    }

    @Mapped(keys: .snakeCase) struct Release {
        let id: Int
        var tagName: String
        var name: String
        var publishedAt: Date?
        var assets: [Asset] = []
        var uploadUrl: String
    }

    @Mapped(keys: .snakeCase) struct Asset {
        let id: Int
        var name: String
        var label: String?
        var state: String
        var contentType: String
        var size: Int
        var browserDownloadUrl: URL?
    }

    @Mapped struct ValidationError: Error, Equatable {
        var resource: String
        var code: String
        var field: String
    }
}
#endif
