// SPDX-License-Identifier: Apache-2.0

#if Macros
import Foundation
import HTTPTypes
import RestDocument
import RestMapping
import RestNetworking
import RestTransport
import Testing

extension RecordedScenario {
    /// A file that is uploaded to another origin, described, renamed by a patch, and deleted.
    static let assets = RecordedScenario("release-assets") { session in
        let api = try session.manager()
        let path = "repos/octokit-fixture-org/release-assets/releases/"
        try api.add(Route(Resources.Asset.self, path + "assets/:id"))
        let release: Resources.Release = try await api.get(path + "tags/v1.0.0")
        #expect(release.name == "Version 1.0.0")
        #expect(release.publishedAt == session.recordedAt)
        #expect(release.assets.isEmpty)

        let made = try await upload(to: release, session)
        #expect(made.id == 1000)
        #expect(made.name == "test-upload.txt")
        #expect(made.size == 14)
        let list = try await api.getObjects(
            Resources.Asset.self, at: path + "\(release.id)/assets")
        #expect(list.map(\.id) == [made.id])
        let asset = try await api.get(made)
        #expect(asset.label == "test")
        #expect(asset.browserDownloadUrl?.lastPathComponent == "test-upload.txt")

        let renamed = try await api.patch(
            asset.with {
                $0.name = "new-filename.txt"
                $0.label = "new label"
            }, changesSince: asset
        ) { $0.headerFields[.contentType] = "application/json; charset=utf-8" }
        #expect(renamed.name == "new-filename.txt")
        #expect(renamed.browserDownloadUrl?.lastPathComponent == "new-filename.txt")
        try await api.delete(renamed)
    }

    /// An error with mapped objects, whose cause is removed before the request is repeated.
    static let conflictingAsset = RecordedScenario("release-assets-conflict") { session in
        let api = try session.manager()
        let path = "repos/octokit-fixture-org/release-assets-conflict/releases/"
        try api.add(Route(Resources.Asset.self, path + "assets/:id"))
        let release: Resources.Release = try await api.get(path + "tags/v1.0.0")
        let error = await networkingError { try await upload(to: release, session) }
        #expect(error?.code == .errorResponse)
        #expect(error?.status == 422)
        #expect(
            error?.mappedErrors.compactMap { $0 as? Resources.ValidationError } == [
                Resources.ValidationError(
                    resource: "ReleaseAsset", code: "already_exists", field: "name")
            ])

        let existing = try await api.getObjects(
            Resources.Asset.self, at: path + "\(release.id)/assets")
        for asset in existing { try await api.delete(asset) }
        let made = try await upload(to: release, session)
        #expect(made.id == 1001)
        #expect(made.state == "uploaded")
    }

    /// Uploads a text to the address that a release names, which is a template.
    private static func upload(
        to release: Resources.Release, _ session: GitHubSession
    ) async throws -> Resources.Asset {
        let uploads = try session.manager(for: "uploads.github.com")
        try uploads.add(
            ResponseDescriptor(
                Resources.ValidationError.self, keyPath: "errors", statusCodes: .clientError))
        let prefix = "https://uploads.github.com/"
        #expect(release.uploadUrl.hasPrefix(prefix))
        let path = release.uploadUrl.dropFirst(prefix.count).prefix { $0 != "{" }
        return try await session.withFile("Hello, world!\n") { file in
            try await uploads.upload(
                file, to: path + "?name=test-upload.txt&label=test", method: .post,
                contentType: "text/plain")
        }
    }
}
#endif
