package cmd

import "github.com/spf13/cobra"

func (p *program) openapiCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "openapi",
		Short: "Print the OpenAPI description of the HTTP interface",
		Long:  "Print the OpenAPI description of every endpoint of this server, as YAML.",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := p.stdout.Write(p.openapi)
			return err
		},
	}
}
